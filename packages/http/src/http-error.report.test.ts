import { CapstanError } from '@capstan/core'
import { reply } from '@capstan/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { authenticate, scripted, toRequest } from '../test/requests.js'
import { agentHandler } from './agent-handler.js'
import { reportError } from './http-error.js'

/** Collects the process's warnings and unhandled rejections until the test ends. */
function processEvents() {
  const warnings: (Error & { code?: string })[] = []
  const rejections: unknown[] = []
  const warn = (warning: Error) => warnings.push(warning)
  const reject = (reason: unknown) => rejections.push(reason)
  process.on('warning', warn).on('unhandledRejection', reject)
  onTestFinished(() => {
    process.off('warning', warn).off('unhandledRejection', reject)
  })
  /** Warnings and rejections are emitted in a later turn of the event loop. */
  const told = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return { warnings, rejections, told }
}

const request = toRequest('/runs')

test.each([
  ['rejects', async () => Promise.reject(new Error('sk-of-the-reporter'))],
  [
    'throws',
    () => {
      throw new RangeError('sk-of-the-reporter')
    },
  ],
])('an onError that %s causes one warning without its message', async (_how, onError) => {
  const { warnings, rejections, told } = processEvents()
  for (let at = 0; at < 3; at++) reportError(new Error('sk-of-the-run'), request, { onError })
  await told()
  expect(rejections).toEqual([])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]?.message).toMatch(/^agentHandler's onError failed \(/)
  expect(warnings[0]?.message).not.toContain('sk-')
})

test('without onError each kind of failure is one process warning, without its message', async () => {
  // Other test files in this process may have caused the same failures.
  vi.resetModules()
  const { reportError } = await import('./http-error.js')
  const { warnings, told } = processEvents()
  for (let at = 0; at < 3; at++) {
    reportError(new CapstanError('quota', 'The key sk-secret has no credit.'), request, {})
    reportError(new CapstanError('auth', 'The key sk-secret is wrong.'), request, {})
    reportError(new SyntaxError('sk-secret'), request, {})
    reportError('sk-secret', request, {})
    reportError(
      Object.defineProperty(new Error(), 'name', {
        get() {
          throw new Error('it has no name')
        },
      }),
      request,
      {},
    )
  }
  await told()
  expect(warnings.map(({ name, code }) => [name, code])).toEqual([
    ['CapstanWarning', 'capstan_http_quota'],
    ['CapstanWarning', 'capstan_http_auth'],
    ['CapstanWarning', 'capstan_http_SyntaxError'],
    ['CapstanWarning', 'capstan_http_string'],
    ['CapstanWarning', 'capstan_http_Error'],
  ])
  for (const { message } of warnings) {
    expect(message).toContain('onError')
    expect(message).not.toContain('sk-secret')
  }
})

test('a failed run without onError causes a process warning', async () => {
  const { warnings, told } = processEvents()
  const handler = agentHandler(scripted([reply.fail('not_found')]), { authenticate })
  await (await handler(toRequest('/runs', { body: { input: 'Go.' } }))).text()
  await told()
  expect(warnings.map(({ code }) => code)).toEqual(['capstan_http_not_found'])
})

test('without a process the warning goes to the console', async () => {
  const { process, console } = globalThis
  const lines: unknown[] = []
  Object.assign(globalThis, { process: undefined, console: { warn: (line: unknown) => lines.push(line) } })
  try {
    reportError(new CapstanError('network', 'secret'), request, {})
  } finally {
    Object.assign(globalThis, { process, console })
  }
  expect(lines).toEqual([expect.stringContaining('(network)')])
})
