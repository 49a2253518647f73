export type { ServiceOptions } from './service-options.js'
export { type Service, startService } from './start-service.js'
