import type { Clock } from '@hawser/clock';
import type { KubeConfig, User } from '@kubernetes/client-node';
import type { RequestHeaders } from './connection.js';
import type { CredentialSource } from './dynamic-connection.js';
import type { Fields } from './document.js';
import { KubeconfigError } from './kubeconfig-error.js';

type Credential = Awaited<ReturnType<CredentialSource['get']>>;

/**
 * How long to reuse the plugin's answer. The library caches credentials until they expire; this merges the calls of
 * many requests.
 */
const FRESH_MS = 10_000;

/**
 * Credentials from a program (`exec`), through @kubernetes/client-node, which is loaded only here: it costs some 80 MB.
 * Only for the operator's own kubeconfig. Runs one call at a time for all callers.
 */
export class CredentialPlugin implements CredentialSource {
  readonly #user: User;
  readonly #what: string;
  readonly #clock: Clock;
  #config: KubeConfig | undefined;
  #asking: Promise<Credential> | undefined;
  #last: { readonly credential: Credential; readonly until: number } | undefined;

  constructor(exec: Fields, what: string, clock: Clock) {
    this.#user = { name: 'user', exec };
    this.#what = what;
    this.#clock = clock;
  }

  get(renew: boolean): Promise<Credential> {
    if (!renew && this.#last !== undefined && this.#clock.now() < this.#last.until)
      return Promise.resolve(this.#last.credential);
    this.#asking ??= this.#ask(renew).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(renew: boolean): Promise<Credential> {
    // The server refused the library's cached credentials: it must run the program again.
    if (renew || this.#config === undefined) this.#config = await load(this.#user);
    const options: { headers: Record<string, string>; cert?: unknown; key?: unknown } = { headers: {} };
    try {
      await this.#config.applyToHTTPSOptions(options as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
    } catch (error) {
      throw new KubeconfigError('NoCredentials', `${this.#what} gave no credentials: ${reasonOf(error)}`);
    }
    const credential = { headers: lowerCase(options.headers), cert: text(options.cert), key: text(options.key) };
    if (credential.headers['authorization'] === undefined && credential.cert === undefined)
      throw new KubeconfigError('NoCredentials', `${this.#what} gave no credentials`);
    this.#last = { credential, until: this.#clock.now() + FRESH_MS };
    return credential;
  }
}

async function load(user: User): Promise<KubeConfig> {
  const { KubeConfig: Config } = await import('@kubernetes/client-node');
  const config = new Config();
  // Only the user matters; we connect to the cluster ourselves.
  config.loadFromClusterAndUser({ name: 'cluster', server: 'https://localhost', skipTLSVerify: false }, user);
  return config;
}

/** The first line of the program's error. Omits the parser's errors: they quote printed credentials. */
function reasonOf(error: unknown): string {
  const { name, message, code } = error as {
    readonly name?: unknown;
    readonly message?: unknown;
    readonly code?: unknown;
  };
  if (name === 'SyntaxError' || name === 'TypeError') return 'its answer is not an ExecCredential';
  if (typeof code === 'string') return code;
  const [line = ''] = typeof message === 'string' ? message.trim().split('\n') : [];
  return line === '' ? 'no reason given' : line.slice(0, 200);
}

function lowerCase(headers: Readonly<Record<string, string>>): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined;
}
