export { type Fault, type FaultRule, type FaultedRequest, type InjectedFault, type RequestMatch } from './fault.js';
export { type FaultProxy, type ProxiedRequest } from './fault-proxy.js';
export { type FaultProxyOptions, createFaultProxy } from './create-fault-proxy.js';
