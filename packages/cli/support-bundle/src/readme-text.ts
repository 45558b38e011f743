/** The README of a bundle. */
export function readmeText(made: string, version: string): string {
  return `Support bundle of Hawser, made ${made} by hawser ${version}.

Before you send it
  Read it. It is made of lists of fields that are known to hold no secrets, and all text passed a filter.
  But messages and logs are words of other programs, and a secret that looks like a word passes every filter.
  To search it for something that must not be in it:
    grep -rF 'THE SECRET' .

What is where
  manifest.json          every file, what could not be read and why, what was dropped, what is never held
  about.json             versions, and how the bundle was made
  config.json            the config file of --config: effective, without secrets
  CLUSTER/version.json   the API server
  CLUSTER/discovery.json API groups, and the resources of those that Hawser is about
  CLUSTER/*.GROUP.json   the objects of one kind
  CLUSTER/crds/          CRDs that are bound, exported or published, without descriptions
  CLUSTER/events.json, leases.json, namespaces.json, resourcequotas.json
  CLUSTER/konnector/     what hawser doctor finds, how many objects are in step, and provider-N:
                         what provider N shows to the credential of this consumer
  CLUSTER/workloads/     Deployments, Pods, config, logs and metrics of the roles that run in the cluster

How to read it
  1. CLUSTER/konnector/doctor.txt   what is wrong, and who must act
  2. CLUSTER/konnector/objects.json which bindings and resources are not in step, and for which reasons
  3. the conditions in CLUSTER/*.GROUP.json
  4. CLUSTER/events.json, CLUSTER/workloads/logs
  5. manifest.json, "unread": what is missing because it could not be read. Forbidden is a right that is missing.

  "[left out]"  something is there, and the bundle does not hold it
  "[redacted]"  it looked like a secret
`;
}
