import type { ConfigMap } from './config-maps.js';

/** The sum of the reported changes. */
export class View {
  readonly objects = new Map<string, ConfigMap>();
  readonly words: string[] = [];

  readonly handler = {
    onAdd: (object: ConfigMap): void => {
      this.#expect(object.metadata.name, undefined, 'add');
      this.objects.set(object.metadata.name, object);
    },
    onUpdate: (before: ConfigMap, after: ConfigMap): void => {
      this.#expect(after.metadata.name, after.metadata.uid, 'update');
      this.objects.set(before.metadata.name, after);
    },
    onDelete: (last: ConfigMap): void => {
      this.#expect(last.metadata.name, last.metadata.uid, 'delete');
      this.objects.delete(last.metadata.name);
    },
  };

  #expect(name: string, uid: string | undefined, word: string): void {
    this.words.push(`${word} ${name}${this.objects.get(name)?.metadata.uid === uid ? '' : ' out of order'}`);
  }
}
