export { type ConsumerAccessOptions, createConsumerAccessController } from './access-controller.js';
export { type OnboardingOptions, createOnboardingController } from './onboarding-controller.js';
