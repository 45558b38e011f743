#!/usr/bin/env node
// `npm run demo`: an API of one cluster used in another. Arguments go to examples/demo: `npm run demo -- --once`.
import { createTimeline } from '../examples/demo/src/timeline.ts';
import { demoBundle } from './demo-bundle.ts';

const timeline = createTimeline((text) => {
  process.stdout.write(text);
});
const { demo, hawser } = await demoBundle((text) => {
  timeline.doing(undefined, text);
});
const { main } = await import(demo);
process.exitCode = await main({ args: process.argv.slice(2), hawser, timeline });
