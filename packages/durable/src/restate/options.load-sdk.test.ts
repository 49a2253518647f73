import { expect, test } from 'vitest'
import { loadSdk } from './options.js'

test('on a Node that is too old for workers this is said, and how to go on', async () => {
  await expect(loadSdk('20.19.0')).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(/Node 22 or newer, and this is 20\.19\.0/),
  })
})

test('what workers are made of is found where it is installed', async () => {
  expect((await loadSdk('22.0.0')).RestatePromise).toBeDefined()
})
