import { agentEntries } from './agent-entries.ts';
import { backendEntries } from './backend-entries.ts';
import { entries } from './entries.ts';
import type { Comparison } from './markdown.ts';

export const comparisons: readonly Comparison[] = [
  { program: 'the Go konnector', about: "kube-bind's konnector 0.8.1.", entries },
  {
    program: 'the Go backend',
    about: "The web part of kube-bind's backend 0.8.1. Its controllers are compared in the tests of packages/provider.",
    entries: backendEntries,
  },
  { program: 'the Go agent', about: "kcp's api-syncagent 0.7.", entries: agentEntries },
];
