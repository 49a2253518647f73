import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { startApi } from './openapi/start-api.js'
import { careful, issues, patient } from './openapi.examples.js'

const orders = {
  openapi: '3.1.0',
  paths: {
    '/orders': {
      get: { operationId: 'list', tags: ['orders'] },
      post: { operationId: 'create', tags: ['orders'] },
      put: { operationId: 'replaceAll', tags: ['orders'], deprecated: true },
    },
    '/users': { get: { operationId: 'users' } },
  },
}

test('credentials are those of the schemes', async () => {
  const { origin, arrived } = await startApi()
  const document = {
    openapi: '3.0.0',
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer' },
        basicAuth: { type: 'http', scheme: 'basic' },
      },
    },
    paths: {
      '/repos/{owner}': { get: { security: [{ bearerAuth: [] }] } },
      '/issues': { post: { operationId: 'issues/create', security: [{ basicAuth: [] }] } },
      '/gists': { get: {} },
    },
  }
  const { tools } = issues(document, origin, async () => 'a-token')
  await tools[0]?.call({ owner: 'ada' })
  await tools[1]?.call({})
  expect(arrived.map(({ method, headers }) => [method, headers.authorization])).toEqual([
    ['GET', 'Bearer a-token'],
    ['POST', `Basic ${btoa('ada:secret')}`],
  ])
})

test('settings are made for each operation', () => {
  const { tools } = careful(orders, 'http://localhost:1')
  expect(
    tools.map(({ name, settings: { untrusted, needsApproval } }) => [name, untrusted, needsApproval]),
  ).toEqual([
    ['shop_list', false, undefined],
    ['shop_create', true, true],
  ])
})

test('reading operations are repeated', async () => {
  const { origin, arrived } = await startApi(() => (arrived.length < 3 ? { status: 503 } : undefined))
  const model = scriptedModel([reply.call('list', {}), reply.text('None.')])
  expect(await patient(model, orders, origin)).toBe('None.')
  expect(arrived.length).toBe(3)
})
