import { Agent } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { toConfig } from './options.js'

const named = (name: string) => new Agent({ name, model: scriptedModel([]) })

test('an agent is called by its name, which must be one for Restate', () => {
  expect(toConfig(named('mail-sender.v2'), {}).service).toBe('mail-sender.v2')
  for (const name of ['two words', '2nd', 'a/b', 'restate-agent', 'openapi'])
    expect(() => toConfig(named(name), {})).toThrow(/Restate cannot call an agent/)
})

test('a URL that is none, or holds a password, is refused and not said again', () => {
  for (const url of ['http://me:hunter2@there.test', 'me:hunter2@there.test', 'postgres://there.test', ''])
    for (const options of [{ ingress: url }, { admin: url }])
      expect(() => toConfig(named('a'), options)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: expect.not.stringContaining('hunter2') }),
      )
})

test('servers are where the options say, else the environment, else here', () => {
  const at = ({ ingress, admin }: { ingress: string; admin: string }) => [ingress, admin]
  expect(at(toConfig(named('a'), {}))).toEqual(['http://127.0.0.1:8080', 'http://127.0.0.1:9070'])
  expect(at(toConfig(named('a'), { ingress: 'https://in.test/', admin: 'https://ad.test' }))).toEqual([
    'https://in.test',
    'https://ad.test',
  ])
})
