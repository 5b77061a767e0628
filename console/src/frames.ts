// Server-sent events (HTML §9.2) out of the pieces in which they come. Pure, and bounded: a frame that is longer
// than any of the platform's is an error, not memory.

export interface Frame {
  /** The place of its event in the log; none for marks. */
  id?: string;
  data: string;
}

/** The most characters of a frame. */
export const FRAME_MAX = 4 << 20;

export class Frames {
  #rest = '';
  #id: string | undefined;
  #data: string[] = [];
  #size = 0;

  /** The frames that end with this piece. */
  take(piece: string): Frame[] {
    const frames: Frame[] = [];
    const text = this.#rest + piece;
    // The platform ends lines with LF; a CR before it belongs to the ending.
    const lines = text.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const ended of lines) this.#line(ended.endsWith('\r') ? ended.slice(0, -1) : ended, frames);
    if (this.#size + this.#rest.length > FRAME_MAX) throw new RangeError('a frame is too long');
    return frames;
  }

  #line(line: string, frames: Frame[]): void {
    if (line === '') {
      if (this.#data.length > 0) frames.push({ id: this.#id, data: this.#data.join('\n') });
      this.#id = undefined;
      this.#data = [];
      this.#size = 0;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') {
      this.#data.push(value);
      this.#size += value.length;
    } else if (name === 'id') {
      this.#id = value;
    }
  }
}
