/** A command in the list of all commands. */
export interface ListedCommand {
  /** The call after `hawser`, with its arguments. */
  readonly call: string;
  /** Short description. */
  readonly purpose: string;
}

/** Commands for one task. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly ListedCommand[];
}

/** A command without its arguments. */
export function nameOf({ call }: ListedCommand): string {
  return call.split(' ', 1)[0] ?? '';
}

/** Every command, grouped by task. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Run a role, until it is told to stop',
    commands: [
      { call: 'run', purpose: 'konnector, provider or syncagent, with everything that Hawser can do' },
      { call: 'konnector', purpose: 'in place of the Go konnector, with its flags; also as hawser-konnector' },
      { call: 'kbind', purpose: 'in place of the Go konnector of kbind, with its flags; also as hawser-kbind' },
      { call: 'backend', purpose: 'in place of the Go backend, with its flags; also as hawser-backend' },
      { call: 'syncagent', purpose: 'in place of the Go api-syncagent, with its flags; also as hawser-syncagent' },
    ],
  },
  {
    title: 'Bind, unbind, move, retry',
    commands: [
      { call: 'bind', purpose: 'bind APIs of a provider' },
      { call: 'unbind NAME', purpose: 'end a binding under its policy' },
      { call: 'move NAMESPACE/NAME', purpose: 'have the provider of another Connection serve an object' },
      {
        call: 'retry KIND NAME',
        purpose: 'try an object, or all of a binding, again now instead of after its back-off',
      },
    ],
  },
  {
    title: 'Look; nothing is written',
    commands: [
      { call: 'bindings', purpose: 'list bindings, or the consumers of a provider' },
      { call: 'why KIND NAME', purpose: 'why is this object not in step, and who must act? why --all lists all' },
      { call: 'doctor', purpose: 'check everything that bindings need, and say who must act' },
      { call: 'support-bundle', purpose: 'gather for a maintainer what a problem needs, and nothing secret' },
      { call: 'tree', purpose: 'draw connections, bindings, resources and claims with their health' },
      { call: 'plan', purpose: 'print what a konnector or an agent would write' },
      { call: 'rbac', purpose: 'print the rights that are needed, and which are missing' },
    ],
  },
  {
    title: 'Changed schemas',
    commands: [
      { call: 'diff crd OLD NEW', purpose: 'compare two versions of a CRD; the exit code is for pipelines' },
      { call: 'schema COMMAND', purpose: 'on a provider: see, approve or reject changed schemas' },
      { call: 'pubres crd FILE', purpose: 'print the CRD or APIResourceSchema that a PublishedResource makes' },
    ],
  },
  {
    title: 'Compare programs',
    commands: [
      {
        call: 'conformance',
        purpose: 'check whether a konnector and a backend, or an agent, of any make, keep the contract',
      },
    ],
  },
  {
    title: 'Leave',
    commands: [
      { call: 'uninstall', purpose: 'take everything of kube-bind off a consumer, and prove it' },
      { call: 'migrate', purpose: 'move bindings to core.kbind.io in place, or back' },
      { call: 'handback', purpose: 'remove what a Go konnector would not understand' },
    ],
  },
  {
    title: 'More',
    commands: [
      { call: 'help COMMAND', purpose: 'flags and examples of a command' },
      {
        call: 'config check FILE',
        purpose: 'say what is wrong with a config file; config schema prints its JSON schema',
      },
      { call: 'completion SHELL', purpose: 'print a script that makes bash, zsh or fish complete commands and flags' },
      { call: 'version', purpose: 'print the version' },
    ],
  },
];

const WIDTH = Math.max(...commandGroups.flatMap(({ commands }) => commands.map(({ call }) => call.length))) + 3;

/** The help of `hawser`. */
export const USAGE = `hawser binds the APIs of one Kubernetes cluster to another and keeps the objects in step.

Usage:
  hawser COMMAND [flags]

${commandGroups.map(({ title, commands }) => `${title}:\n${commands.map(({ call, purpose }) => `  hawser ${call.padEnd(WIDTH)}${purpose}`).join('\n')}`).join('\n\n')}

hawser run starts a role of a new installation. hawser konnector, kbind, backend and syncagent are for a Deployment
of the Go program that is there already: its flags stay as they are.`;
