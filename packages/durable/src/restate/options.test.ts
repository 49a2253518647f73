import { Agent } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { toConfig } from './options.js'

const named = (name: string) => new Agent({ name, model: scriptedModel([]) })

test('the agent name is the service name and must be valid in Restate', () => {
  expect(toConfig(named('mail-sender.v2'), {}).service).toBe('mail-sender.v2')
  for (const name of ['two words', '2nd', 'a/b', 'restate-agent', 'openapi'])
    expect(() => toConfig(named(name), {})).toThrow(/Restate does not accept the agent name/)
})

test('rejects an invalid URL or one with a password, without repeating it', () => {
  for (const url of ['http://me:hunter2@there.test', 'me:hunter2@there.test', 'postgres://there.test', ''])
    for (const options of [{ ingress: url }, { admin: url }])
      expect(() => toConfig(named('a'), options)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: expect.not.stringContaining('hunter2') }),
      )
})

test('takes server URLs from the options, then the environment, then the defaults', () => {
  const at = ({ ingress, admin }: { ingress: string; admin: string }) => [ingress, admin]
  expect(at(toConfig(named('a'), {}))).toEqual(['http://127.0.0.1:8080', 'http://127.0.0.1:9070'])
  expect(at(toConfig(named('a'), { ingress: 'https://in.test/', admin: 'https://ad.test' }))).toEqual([
    'https://in.test',
    'https://ad.test',
  ])
})
