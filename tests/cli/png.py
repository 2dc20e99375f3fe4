"""png.py: reads the PNG files that clothview writes: 8 bits of red, green and blue."""
import struct
import zlib


def read(name):
    """Width, height, and the rows as bytes."""
    data, at, pixels = open(name, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + n
    pixels, rows, before = zlib.decompress(pixels), [], bytes(3 * width)
    for y in range(height):
        kind, row = pixels[y * (3 * width + 1)], bytearray(pixels[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(3 * width):
            a, b, c = (row[i - 3], before[i], before[i - 3]) if i > 2 else (0, before[i], 0)
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
        rows.append(bytes(row))
        before = row
    return width, height, rows
