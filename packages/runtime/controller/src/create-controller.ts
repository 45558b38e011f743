import { apart } from '@hawser/telemetry';
import type { Controller, ControllerContext } from './controller.js';
import { ControllerError } from './controller-error.js';
import { ControllerScope } from './controller-scope.js';
import type { Scope } from './scope.js';

/**
 * Creates a controller from its setup. `setup` opens what it needs through `scope`, waits until its caches are filled,
 * and returns; then the queues start. A setup that throws leaves nothing open. The end of the context's signal acts
 * like `stop`, without grace for the queues. Each controller runs once.
 */
export function createController<Names extends string>(
  name: string,
  setup: (ctx: ControllerContext<Names>, scope: Scope) => Promise<void>,
): Controller<Names> {
  return new ScopedController(name, setup);
}

class ScopedController<Names extends string> implements Controller<Names> {
  readonly name: string;
  readonly #setup: (ctx: ControllerContext<Names>, scope: Scope) => Promise<void>;
  #scope: ControllerScope | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #forgetContext: () => void = () => undefined;

  constructor(name: string, setup: (ctx: ControllerContext<Names>, scope: Scope) => Promise<void>) {
    this.name = name;
    this.#setup = setup;
  }

  start(ctx: ControllerContext<Names>): Promise<void> {
    if (this.#stopping !== undefined) return Promise.reject(new ControllerError('Stopped', this.name));
    if (this.#starting !== undefined) return Promise.reject(new ControllerError('AlreadyStarted', this.name));
    this.#starting = apart(() => this.#start(ctx));
    return this.#starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end(new ControllerError('Stopped', this.name));
    return this.#stopping;
  }

  async #start(ctx: ControllerContext<Names>): Promise<void> {
    ctx.signal.throwIfAborted();
    const scope = new ControllerScope(this.name, ctx);
    this.#scope = scope;
    const onContextEnd = (): void => {
      scope.abort(ctx.signal.reason);
      this.#stopping ??= this.#end(ctx.signal.reason);
    };
    ctx.signal.addEventListener('abort', onContextEnd, { once: true });
    this.#forgetContext = () => {
      ctx.signal.removeEventListener('abort', onContextEnd);
    };
    try {
      await this.#setup(ctx, scope);
      scope.signal.throwIfAborted();
      scope.markReady();
    } catch (error) {
      this.#forgetContext();
      scope.abort(error);
      await scope.close();
      throw error;
    }
  }

  async #end(reason: unknown): Promise<void> {
    this.#scope?.abort(reason);
    // Wait for a pending start: what it opens is disposed of too.
    await this.#starting?.catch(() => undefined);
    await this.#scope?.close();
    this.#forgetContext();
  }
}
