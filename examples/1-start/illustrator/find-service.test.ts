import { expect, test } from 'vitest'
import { findService } from './find-service.js'

const OPENAI_BASE_URL = 'http://127.0.0.1:4100/v1'
const OPENAI_API_KEY = 'sk-1'

test('both say where and with which key', () => {
  expect(findService({ OPENAI_BASE_URL, OPENAI_API_KEY })).toEqual({
    baseURL: OPENAI_BASE_URL,
    apiKey: 'sk-1',
    says: 'Using http://127.0.0.1:4100/v1.',
  })
})

test('an address without a key is asked without one', () => {
  expect(findService({ OPENAI_BASE_URL, OPENAI_API_KEY: '' })).toEqual({
    baseURL: OPENAI_BASE_URL,
    apiKey: '',
    says: 'Using http://127.0.0.1:4100/v1. No OPENAI_API_KEY, so no key is sent.',
  })
})

test('a key without an address is for the usual one', () => {
  expect(findService({ OPENAI_API_KEY })).toMatchObject({
    baseURL: 'https://api.openai.com/v1',
    apiKey: 'sk-1',
  })
})

test('neither: no service but the local one', () => {
  expect(findService({ OPENAI_BASE_URL: '' })).toBeUndefined()
})
