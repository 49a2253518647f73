// Runs the checks of session stores over a server that speaks S3.
// Usage: node --conditions=development --import=tsx packages/core/test/sessions/prove-s3.ts

import { sessionStoreChecks } from '@capstan/testing'
import { prefixStorage } from 'unstorage'
import { unstorageSessions } from '../../src/index.js'
import { startS3 } from '../s3-server.js'

await using s3 = await startS3()
const began = performance.now()
const checks = sessionStoreChecks(() => unstorageSessions(prefixStorage(s3.bucket(), crypto.randomUUID())))
for (const { name, run } of checks) {
  await run().catch((error) => {
    throw new Error(`sessions in S3: ${name}`, { cause: error })
  })
}
const seconds = ((performance.now() - began) / 1000).toFixed(1)
console.log(`sessions in S3: all of ${checks.length} checks hold; ${seconds} s`)
