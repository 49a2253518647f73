import type { TestAPI } from 'vitest'

export const slowTest: TestAPI
