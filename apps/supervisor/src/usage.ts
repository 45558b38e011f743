/** Help of `hawser`, before the flags of `run`. */
export const USAGE = `hawser binds the APIs of one Kubernetes cluster to another and keeps the objects in step.

Usage:
  hawser run [flags]
  hawser konnector [flags]   takes exactly the flags of the Go konnector; so does hawser-konnector
  hawser syncagent [flags]   takes the flags of the Go agent; so does hawser-syncagent
  hawser backend [flags]     takes the flags of the Go backend; so does hawser-backend
  hawser bind [flags]        binds APIs of a provider: asks for them, stores the kubeconfig, makes the binding
  hawser unbind NAME         lets go of a binding under its policy
  hawser bindings [flags]    lists bindings, or with --side=provider consumers, with health and what is held
  hawser doctor [flags]      looks at everything that bindings rest on, and says who must act
  hawser plan [flags]        prints what a konnector would write
  hawser why KIND NAME       says what holds an object, since when, and who must act; why --all lists everything
  hawser tree [flags]        draws connections, bindings, exports, resources and claims with their health
  hawser rbac [flags]        prints the rights that are needed, and how they differ from what is there
                             plan, why and rbac speak of agents with --roles syncagent
  hawser pubres crd FILE     prints the CRD or the APIResourceSchema that a PublishedResource makes
  hawser diff crd OLD NEW    says what a changed CRD means, with an exit code for pipelines
  hawser schema COMMAND      status, diff, approve, reject, prove: changed schemas on a provider
  hawser uninstall [flags]   takes everything of kube-bind off a consumer cluster, and proves it
  hawser handback [flags]    removes what a Go konnector would not understand
  hawser version

Flags of run:
`;
