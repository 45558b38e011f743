export { type Clock, type TimerHandle, systemClock } from './clock.js';
export { FakeClock } from './fake-clock.js';
export { type BackoffOptions, type Random, backoffDelay } from './backoff.js';
export { sleep } from './sleep.js';
