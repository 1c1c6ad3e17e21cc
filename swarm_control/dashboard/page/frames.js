// Reads the messages that swarm_control/dashboard/frames.py writes. Little endian; tables are views of the message, not copies.

export const NAMES = { 1: "robots", 2: "goals", 3: "metrics", 4: "targets", 5: "structure", 6: "rings", 7: "neighbours", 8: "arrows" };
export const VALID = 1, LEADER = 2, FALLEN = 4;
const MAGIC = 0x4d525753, VERSION = 1, HEAD = 24;

/** A frame {kind, sequence, time, robots: {rows, columns, data}, …} or a map {kind, rows, columns, x, y, resolution, bits}. */
export function decode(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC || view.getUint16(4, true) !== VERSION) throw new Error("not a message of this version; reload the page");
  return view.getUint16(6, true) === 2 ? decodeMap(view, buffer) : decodeFrame(view, buffer);
}

function decodeFrame(view, buffer) {
  const frame = { kind: "frame", sequence: view.getUint32(8, true), time: view.getFloat64(16, true) };
  let at = HEAD;
  for (let k = view.getUint32(12, true); k > 0; k--) {
    const columns = view.getUint16(at + 2, true), rows = view.getUint32(at + 4, true), name = NAMES[view.getUint16(at, true)];
    if (name) frame[name] = { rows, columns, data: new Float32Array(buffer, at + 8, rows * columns) };
    at += 8 + 4 * rows * columns;
  }
  return frame;
}

function decodeMap(view, buffer) {
  return {
    kind: "map", rows: view.getUint32(HEAD, true), columns: view.getUint32(HEAD + 4, true), x: view.getFloat64(HEAD + 8, true),
    y: view.getFloat64(HEAD + 16, true), resolution: view.getFloat64(HEAD + 24, true), bits: new Uint8Array(buffer, HEAD + 32),
  };
}
