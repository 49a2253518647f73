import { expect, test } from 'vitest'
import { loadSdk } from './options.js'

test('the error on an old Node names the required version', async () => {
  await expect(loadSdk('20.19.0')).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(/Node 22 or newer; this is 20\.19\.0/),
  })
})

test('loads the SDK when it is installed', async () => {
  expect((await loadSdk('22.0.0')).RestatePromise).toBeDefined()
})
