/** Strings up to this long are copied character by character; beyond it native code is faster. */
const SHORT = 48;

/** What cannot stand in quotes as it is, and what UTF-8 writes in more than one byte. */
const NEEDS_CARE = /["\\\u0000-\u001f\u0080-\uffff]/;

const FIRST_BYTES = 16 * 1024;

/**
 * Collects JSON text as UTF-8 in one buffer that grows. Bytes rather than a string, since what is made
 * here is hashed: a string of a thousand joints costs more to flatten and encode than to build.
 */
export class Utf8Writer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** How much memory it holds. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Drops all that came after `length` bytes. */
  rewind(length: number): void {
    this.#length = length;
  }

  byte(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
  }

  /** Puts another byte in the place of one that is written. */
  replace(index: number, code: number): void {
    this.#bytes[index] = code;
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#reserve(length);
    const target = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < length; i += 1) target[at++] = bytes[i] ?? 0;
    this.#length = at;
  }

  /** Text of ASCII characters, as it is. */
  ascii(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const target = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < length; i += 1) target[at++] = text.charCodeAt(i);
    this.#length = at;
  }

  /**
   * A JSON string, escaped as RFC 8785, 3.2.2.2 asks for, which is as `JSON.stringify` does it.
   *
   * @returns `false`, and nothing is written, where the text is not well-formed UTF-16.
   */
  quoted(text: string): boolean {
    const { length } = text;
    if (length > SHORT) {
      if (NEEDS_CARE.test(text)) return this.#escaped(text);
      this.#reserve(length + 2);
      this.#bytes[this.#length] = QUOTE;
      this.#bytes.write(text, this.#length + 1, 'latin1');
      this.#bytes[this.#length + length + 1] = QUOTE;
      this.#length += length + 2;
      return true;
    }
    this.#reserve(2 * length + 2);
    const target = this.#bytes;
    let at = this.#length;
    target[at++] = QUOTE;
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i);
      if (code < 0x20 || code > 0x7f) return this.#escaped(text);
      if (code === QUOTE || code === BACKSLASH) target[at++] = BACKSLASH;
      target[at++] = code;
    }
    target[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  /** What is written; valid until the next write. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  #escaped(text: string): boolean {
    if (!text.isWellFormed()) return false;
    const json = JSON.stringify(text);
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    this.#reserve(3 * json.length);
    this.#length += this.#bytes.write(json, this.#length);
    return true;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
