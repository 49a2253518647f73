import { test as base, type TestAPI } from 'vitest'
import type { ServiceOptions } from './service-options.js'
import { type Service, startService } from './start-service.js'

/** Passes the service to the test, and waits until the test has ended. */
type Use = (service: Service) => Promise<void>

/** The fixture `service`, for `test.extend(...)`. */
export interface ServiceFixture {
  readonly service: (context: object, use: Use) => Promise<void>
}

/**
 * Returns the fixture `service` for your own test function: `test.extend(serviceFixture(options))`. Each test that uses
 * the fixture gets its own service, with its own rules and requests. The service ends when the test ends.
 */
export function serviceFixture(options: ServiceOptions = {}): ServiceFixture {
  return {
    // Vitest reads which fixtures a fixture needs from this pattern.
    // biome-ignore lint/correctness/noEmptyPattern: it needs none.
    service: async ({}, use) => {
      const service = await startService(options)
      try {
        await use(service)
      } finally {
        await service.close()
      }
    },
  }
}

/** The type of vitest's `test` with the fixture `service`. */
export interface ServiceTest extends TestAPI<{ service: Service }> {}

/** Vitest's `test` with the fixture `service`: a local service with default options. */
export const test: ServiceTest = base.extend<{ service: Service }>(serviceFixture())
