import { agentEntries } from './agent-entries.ts';
import { entries } from './entries.ts';
import type { Comparison } from './markdown.ts';

export const comparisons: readonly Comparison[] = [
  { program: 'the Go konnector', about: "kube-bind's konnector 0.8.1.", entries },
  { program: 'the Go agent', about: "kcp's api-syncagent 0.7.", entries: agentEntries },
];
