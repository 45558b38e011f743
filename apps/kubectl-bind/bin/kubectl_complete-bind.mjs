#!/usr/bin/env node
// kubectl calls this with the words after `kubectl bind`, and reads the protocol of cobra.
process.argv.splice(2, 0, '__complete');
await import('./kubectl-bind.mjs');
