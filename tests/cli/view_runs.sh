# Pictures of several runs: one camera, one range of colours, a place for each.
. "$ROOT/tests/cli/kit"
export PYTHONPATH=$ROOT/tests/cli PYTHONDONTWRITEBYTECODE=1
cat >cells.py <<'PY'
"""cells.py FILE COLUMNS ROWS: the size, and a letter for each cell: equal ones have the same, empty ones "."."""
import sys
from png import read
width, height, rows = read(sys.argv[1])
columns, lines = int(sys.argv[2]), int(sys.argv[3])
w, h, seen, text = width // columns, height // lines, [], ""
for j in range(lines):
    for i in range(columns):
        # without labels and legend, which are below
        cell = tuple(r[3 * w * i:3 * w * (i + 1)] for r in rows[h * j:h * j + h * 3 // 4])
        if len({r[k:k + 3] for r in cell for k in range(0, 3 * w, 3)}) == 1:
            text += "."
            continue
        if cell not in seen:
            seen.append(cell)
        text += "abcdefghi"[seen.index(cell)]
print(width, height, text)
PY
cells() { python3 cells.py "$@"; }
tiny_scene >tiny.json
for run in a b c; do
  expect 0 "$clothsim" tiny.json -q -o $run --set "cloth.position=[0, 0.5$([ $run = a ] && echo 2 || echo 6), 0]"
done
"$clothsim" tiny.json -q -o far --set 'cloth.position=[0, 2, 0]'
view=("$BIN/clothview" -q --json --draft --size 160x120)

# one frame: in rows and columns; b and c are alike
outputs 0 '"pictures": 1, "width": 320, "height": 240' "${view[@]}" a --compare b --compare c -o three.png --frame 5
equal "$(cells three.png 2 2)" "320 240 abb." "three runs"
outputs 0 '"width": 480, "height": 240' "${view[@]}" a --compare b --compare c --compare a --compare far -o five.png --frame 5
equal "$(cells five.png 3 2)" "480 240 abbac." "five runs, under one camera"
outputs 0 '"width": 320, "height": 120' "${view[@]}" a --compare b -o two.png --frame 5
equal "$(cells two.png 2 1)" "320 120 ab" "two are side by side"

# several frames: a row for each run
outputs 0 '"pictures": 3, "width": 480, "height": 360' "${view[@]}" b --compare a --compare c -o sheet.png --tiles 3
equal "$(cells sheet.png 3 3)" "480 360 abcdefabc" "a sheet of three runs"
outputs 0 '"pictures": 2, "width": 320, "height": 240' "${view[@]}" a --compare b --compare c -o 'film_#.png' --frames 5:6
equal "$(cells film_5.png 2 2)" "$(cells three.png 2 2)" "numbered pictures"

# distances are to the first; its range holds for all
outputs 0 '"colour": "distance"' "${view[@]}" a --compare a --compare b -o distance.png --frame 5 --colour distance
equal "$(cells distance.png 2 2)" "320 240 aab." "distances"

# what cannot be
outputs 2 'a page shows two runs' "${view[@]}" a --compare b --compare c -o page.html
outputs 2 'too large' "${view[@]}" a --compare b --compare c -o large.png --size 9000x9000
outputs 3 'nowhere' "${view[@]}" a --compare b --compare nowhere -o none.png
report
