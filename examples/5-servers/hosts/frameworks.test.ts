import { createServer, type Server } from 'node:http'
import { toNodeListener } from '@capstan/http/node'
import express, { type ErrorRequestHandler } from 'express'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from './servers.js'

const failing = toNodeListener(() => {
  throw new Error('no table')
})
const echo = toNodeListener(async (request) =>
  Response.json([new URL(request.url).pathname, request.headers.get('content-type'), await request.text()]),
)

async function start(server: Server): Promise<string> {
  const { origin, close } = await startServer(server)
  onTestFinished(close)
  return origin
}

async function startFastify(app: ReturnType<typeof Fastify>): Promise<string> {
  await app.ready()
  return start(app.server)
}

const post = (url: string, body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body })

test('an error of the handler goes to the error handler of Express', async () => {
  const app = express()
  const report: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(503).send(`reported: ${error.message}`)
  }
  app.use('/agent', failing)
  app.use(report)
  const response = await fetch(`${await start(createServer(app))}/agent/runs`)
  expect(response.status).toBe(503)
  expect(await response.text()).toBe('reported: no table')
})

test('an error of the handler goes to the error handler of Fastify', async () => {
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => reply.code(503).send(`reported: ${String(error)}`))
  app.all('/agent/*', failing)
  const response = await fetch(`${await startFastify(app)}/agent/runs`)
  expect(response.status).toBe(503)
  expect(await response.text()).toBe('reported: Error: no table')
})

test('headers of hooks of Fastify are sent', async () => {
  const app = Fastify()
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-hook', 'yes')
  })
  app.all('/agent/*', echo)
  const response = await post(`${await startFastify(app)}/agent/runs`, '{"a":[1]}')
  expect(response.headers.get('x-hook')).toBe('yes')
  expect(await response.json()).toEqual(['/agent/runs', 'application/json', '{"a":[1]}'])
})

test.each([
  ['JSON', '{"a":[1]}', 'application/json'],
  ['text', 'a body', 'text/plain'],
  ['bytes', 'a body', 'application/octet-stream'],
  ['a type that no parser takes', '<a/>', 'application/xml'],
])('the listener gets what a parser of Express made of %s', async (_what, body, type) => {
  const app = express()
  app.use(express.json(), express.text(), express.raw())
  app.all('/agent/*path', echo)
  const response = await post(`${await start(createServer(app))}/agent/runs`, body, type)
  expect(await response.json()).toEqual(['/agent/runs', type, body])
})

test('the listener sees the whole path where a router of Express mounts it', async () => {
  const [app, router] = [express(), express.Router()]
  router.use('/agent', echo)
  app.use('/api', router)
  const response = await post(`${await start(createServer(app))}/api/agent/runs`, '{}')
  expect(await response.json()).toEqual(['/api/agent/runs', 'application/json', '{}'])
})
