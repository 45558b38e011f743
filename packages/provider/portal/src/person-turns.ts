import { type Person, identityOf } from './person.js';

/** What one person asks for is done one after another on this replica, so that two requests do not both find the last room of a quota. People do not wait for each other. */
export class PersonTurns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(person: Person, work: () => Promise<T>): Promise<T> {
    const key = identityOf(person);
    const before = this.#last.get(key);
    const own = (async () => {
      await before;
      return work();
    })();
    const ended = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
