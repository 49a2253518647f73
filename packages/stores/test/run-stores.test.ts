import { runStoreChecks } from '@capstan/testing'
import { describe, test } from 'vitest'
import { memoryRunStore } from '../src/index.js'

const stores = { memoryRunStore: () => memoryRunStore() }

describe.each(Object.entries(stores))('%s', (_, makeStore) => {
  for (const { name, run } of runStoreChecks(makeStore)) test(name, run)
})
