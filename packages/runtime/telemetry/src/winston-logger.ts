import winston from 'winston';
import { type LogFormat, renderLine } from './log-line.js';
import type { LogFields, LogLevel, Logger } from './logger.js';
import { redact } from './redact.js';
import { redactText } from './redact-text.js';

export interface LoggerOptions {
  /** Minimum level. At `debug` errors show their stacks. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Default: standard error. */
  readonly stream?: NodeJS.WritableStream;
  /** Milliseconds since the epoch, for the time of a line. Default: the machine's clock. */
  readonly now?: () => number;
}

const ranks: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/**
 * Creates a Logger that writes one line per call. Lines below the level cost a comparison. Redacts all output: values
 * under keys that name a secret, data of Secrets and strings of known secret shapes never reach the stream; see the
 * README for the coverage.
 */
export function createLogger(options: LoggerOptions): Logger {
  const now = options.now ?? Date.now;
  const sink = winston.createLogger({
    levels: ranks,
    level: options.level,
    format: winston.format.printf((info) => info.message as string),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston types its stream transport as an interface
    transports: [new winston.transports.Stream({ stream: options.stream ?? process.stderr, eol: '\n' })],
  });
  const write = (level: LogLevel, message: string, fields: LogFields): void => {
    const line = renderLine(
      { time: new Date(now()).toISOString(), level, message: redactText(message), fields },
      options.format,
    );
    sink.log({ level, message: line });
  };
  return new RedactingLogger(ranks[options.level], write, {});
}

class RedactingLogger implements Logger {
  readonly #rank: number;
  readonly #write: (level: LogLevel, message: string, fields: LogFields) => void;
  /** Already redacted. */
  readonly #fields: LogFields;

  constructor(rank: number, write: (level: LogLevel, message: string, fields: LogFields) => void, fields: LogFields) {
    this.#rank = rank;
    this.#write = write;
    this.#fields = fields;
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  isEnabled(level: LogLevel): boolean {
    return ranks[level] <= this.#rank;
  }

  child(fields: LogFields): Logger {
    return new RedactingLogger(this.#rank, this.#write, { ...this.#fields, ...this.#redacted(fields) });
  }

  #log(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (!this.isEnabled(level)) return;
    this.#write(level, message, fields === undefined ? this.#fields : { ...this.#fields, ...this.#redacted(fields) });
  }

  #redacted(fields: LogFields): LogFields {
    const result = redact(fields, { stacks: this.isEnabled('debug') });
    return typeof result === 'object' && result !== null ? (result as LogFields) : { fields: result };
  }
}
