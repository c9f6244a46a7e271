import { bytes, type Bytes, joinBytes, hmac, zeros } from './bytes';

/** HMAC_DRBG of SP 800-90A with SHA-256, without additional input, and the numbers that are drawn from it. */
const OUTPUT = 32;
const CHUNK = 1024;
const NARROW_MOST = 2 ** 12;

export class Generator {
  #key = zeros(OUTPUT);
  #value: Bytes = zeros(OUTPUT).fill(1);

  static async made(entropy: Bytes, nonce: Bytes, personalization: Bytes): Promise<Generator> {
    const found = new Generator();
    await found.#update(joinBytes(entropy, nonce, personalization));
    return found;
  }

  async generate(size: number): Promise<Bytes> {
    const hash = await hmac(this.#key);
    const blocks: Bytes[] = [];
    for (let made = 0; made < size; made += OUTPUT) {
      this.#value = await hash(this.#value);
      blocks.push(this.#value);
    }
    await this.#update(bytes());
    return joinBytes(...blocks).slice(0, size);
  }

  async #update(provided: Bytes): Promise<void> {
    for (const mark of provided.length ? [0, 1] : [0]) {
      this.#key = await (await hmac(this.#key))(joinBytes(this.#value, bytes(mark), provided));
      this.#value = await (await hmac(this.#key))(this.#value);
    }
  }
}

/** The bytes of a generator in order; a number below a bound throws away words of the incomplete last block. */
export class Stream {
  #held: Bytes = bytes();
  #at = 0;
  readonly #generator: Generator;

  constructor(generator: Generator) {
    this.#generator = generator;
  }

  async below(bound: number): Promise<number> {
    const [size, most] = bound <= NARROW_MOST ? [2, BigInt(bound)] : [8, BigInt(bound)];
    const space = 256n ** BigInt(size);
    for (;;) {
      const word = (await this.#take(size)).reduce((sum, one) => (sum << 8n) | BigInt(one), 0n);
      if (word < space - (space % most)) return Number(word % most);
    }
  }

  async #take(size: number): Promise<Bytes> {
    while (this.#at + size > this.#held.length) {
      this.#held = joinBytes(this.#held.slice(this.#at), await this.#generator.generate(CHUNK));
      this.#at = 0;
    }
    this.#at += size;
    return this.#held.slice(this.#at - size, this.#at);
  }
}

/** Fisher-Yates from the last place down over the numbers 0 … size-1. */
export async function shuffled(size: number, stream: Stream): Promise<number[]> {
  const order = Array.from({ length: size }, (_, i) => i);
  for (let last = size - 1; last > 0; last -= 1) {
    const other = await stream.below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
