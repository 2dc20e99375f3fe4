// plot.js: small line plots over the frames.

/** Draws lines over n frames. lines: [{values, colour, name}], NaN leaves a gap. */
export function plot(canvas, n, frame, lines, label) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const c = canvas.getContext('2d');
  c.scale(ratio, ratio);
  let low = Infinity, high = -Infinity;
  for (const line of lines)
    for (const v of line.values) if (Number.isFinite(v)) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  if (!(low <= high)) [low, high] = [0, 1];
  const flat = high - low < 1e-12 * Math.max(1, Math.abs(high));
  const span = flat ? 1 : high - low, left = 4, right = w - 4, top = 14, bottom = h - 4;
  const x = (f) => (n > 1 ? left + ((right - left) * f) / (n - 1) : (left + right) / 2);
  const y = (v) => (flat ? (top + bottom) / 2 : bottom - ((bottom - top) * (v - low)) / span);
  c.strokeStyle = '#c03a2b';
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(x(frame), top - 4);
  c.lineTo(x(frame), bottom);
  c.stroke();
  for (const line of lines) {
    c.strokeStyle = line.colour;
    c.lineWidth = 1.4;
    c.beginPath();
    let pen = false;
    line.values.forEach((v, f) => {
      if (!Number.isFinite(v)) {
        pen = false;
        return;
      }
      if (pen) c.lineTo(x(f), y(v));
      else c.moveTo(x(f), y(v));
      pen = true;
    });
    c.stroke();
  }
  c.font = '10px system-ui, sans-serif';
  c.fillStyle = '#454b54';
  c.textAlign = 'left';
  c.fillText(label, left, 10);
  c.textAlign = 'right';
  c.fillText(`${short(low)} … ${short(high)}`, right, 10);
}

export const short = (v) => (v === 0 ? '0' : Number(v.toPrecision(4)).toString());

/** Frame under the pointer of a plot over n frames. */
export function frameAt(canvas, n, clientX) {
  const box = canvas.getBoundingClientRect();
  const t = (clientX - box.left - 4) / (box.width - 8);
  return Math.round(Math.min(1, Math.max(0, t)) * (n - 1));
}
