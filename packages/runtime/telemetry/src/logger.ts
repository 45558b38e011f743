export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/**
 * Key/value fields of one log line. Never contains Secret data: values of known secret shapes are redacted by
 * construction.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging. Messages are constant sentences; variable parts go into fields. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** Whether a line of this level would be written. Ask before building costly fields. */
  isEnabled(level: LogLevel): boolean;
  /** A logger that adds `fields` to each line. */
  child(fields: LogFields): Logger;
}

/** Writes nothing. */
export const silentLogger: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  isEnabled: () => false,
  child: () => silentLogger,
};
