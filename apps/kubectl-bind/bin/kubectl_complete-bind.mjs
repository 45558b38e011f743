#!/usr/bin/env node
// kubectl calls it with what stands on the command line behind `kubectl bind`, and reads the protocol of cobra.
process.argv.splice(2, 0, '__complete');
await import('./kubectl-bind.mjs');
