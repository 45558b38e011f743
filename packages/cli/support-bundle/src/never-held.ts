/** Contents that no bundle holds, and why. */
export const neverHeld: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'Secrets',
    why: 'None is read but the kubeconfig that a binding names, as `hawser doctor` does. Nothing of it is written.',
  },
  {
    what: 'objects of users',
    why: 'They are counted, and those that are not in step named with the reason. What an API server or a webhook said of one may stand, filtered, in conditions, in findings of `hawser doctor` and in logs.',
  },
  {
    what: 'spec, status, labels and annotations of other kinds',
    why: 'Only fields on a list are taken over, kind by kind.',
  },
  {
    what: 'values of labels and annotations that are not ours',
    why: 'Only their keys stand there. `last-applied-configuration` holds whole objects.',
  },
  { what: 'identities and authors of consumers', why: 'They are names of people.' },
  { what: 'values of environment variables, and arguments that Hawser does not know', why: 'They may be secrets.' },
  {
    what: 'certificates, tokens, kubeconfigs',
    why: 'Also the ones with which the clusters were read: they are removed word for word.',
  },
  {
    what: 'descriptions and examples of schemas, and defaults that look like secrets',
    why: 'They are long, and may be content.',
  },
  { what: 'messages of containers that ended', why: 'They may be the end of a log.' },
  { what: 'Events about objects of users', why: 'They may quote the object.' },
];
