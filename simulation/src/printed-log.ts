import type { LogFields, Logger } from '@hawser/telemetry';

/** Prints to standard output, with all fields. */
export function printedLog(process_: string, common: LogFields = {}): Logger {
  const print = (message: string, fields: LogFields = {}): void => {
    process.stdout.write(`${process_} ${message} ${JSON.stringify({ ...common, ...fields })}\n`);
  };
  return {
    error: print,
    warn: print,
    info: print,
    debug: print,
    isEnabled: () => true,
    child: (fields) => printedLog(process_, { ...common, ...fields }),
  };
}
