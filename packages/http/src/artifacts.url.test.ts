import { expect, test } from 'vitest'
import { artifactUrl, parseArtifactUrl } from './artifacts.js'

test.each([
  [{}, '/artifacts/img_abcd2345'],
  [{ basePath: '/' }, '/artifacts/img_abcd2345'],
  [{ basePath: '/api/agent/' }, '/api/agent/artifacts/img_abcd2345'],
])('with %j the URL of an artifact is %s and parses back', (options, url) => {
  expect(artifactUrl(options, 'img_abcd2345')).toBe(url)
  expect(parseArtifactUrl(options, url)).toBe('img_abcd2345')
  expect(parseArtifactUrl(options, `https://house.test${url}`)).toBe('img_abcd2345')
})

test.each([
  'img_abcd2345',
  '/img_abcd2345',
  '/other/artifacts/img_abcd2345',
  '/artifacts/img_abcd2345/',
  '/artifacts/../img_abcd2345',
  '/artifacts/secret',
  'data:text/plain,/artifacts/img_abcd2345',
  '',
])('%s is not an artifact URL', (url) => {
  expect(parseArtifactUrl({}, url)).toBe(undefined)
})
