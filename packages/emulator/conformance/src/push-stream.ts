/** A stream of pushed items, readable once, in order, until its end. */
export class PushStream<T> implements AsyncIterable<T> {
  private readonly waiting: T[] = [];
  private ended = false;
  private wake: () => void = () => undefined;

  push(value: T): void {
    this.waiting.push(value);
    this.wake();
  }

  end(): void {
    this.ended = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    for (;;) {
      for (let value = this.waiting.shift(); value !== undefined; value = this.waiting.shift()) yield value;
      if (this.ended) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
