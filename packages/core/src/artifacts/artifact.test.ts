import { expect, test } from 'vitest'
import { type Artifact, isArtifact, isArtifactId } from './artifact.js'

const artifact: Artifact<'image'> = {
  id: 'img_abcd2345',
  kind: 'image',
  mediaType: 'image/png',
  size: 3,
  sha256: 'ff00',
}

test.each(['img_abcd2345', 'aud_abcd2345', 'txt_aaaaaaaa', 'file_zzzz7777', `img_${'a'.repeat(52)}`])(
  '%s is the id of an artifact',
  (id) => expect(isArtifactId(id)).toBe(true),
)

test.each([
  'img_abcd234',
  `img_${'a'.repeat(53)}`,
  'img_ABCD2345',
  'img_abcd2341',
  'image_abcd2345',
  'img-abcd2345',
  ' img_abcd2345',
  'img_abcd2345\n',
  'img_abcd2345/../x',
  '../img_abcd2345',
  '',
  42,
  null,
  undefined,
  ['img_abcd2345'],
])('%j is not the id of an artifact', (id) => {
  expect(isArtifactId(id)).toBe(false)
})

test('an artifact is known as one, also after a trip through JSON', () => {
  expect(isArtifact(artifact)).toBe(true)
  expect(isArtifact(JSON.parse(JSON.stringify({ ...artifact, width: 1, height: 2 })))).toBe(true)
})

test.each([
  ['an id alone', { id: artifact.id }],
  ['no hash', { ...artifact, sha256: undefined }],
  ['no media type', { ...artifact, mediaType: undefined }],
  ['no kind', { ...artifact, kind: undefined }],
  ['a kind that its id denies', { ...artifact, kind: 'audio' }],
  ['a kind that objects inherit', { ...artifact, kind: 'constructor' }],
  ['an id that is none', { ...artifact, id: 'img_1' }],
  ['its id', artifact.id],
  ['null', null],
  ['a list of artifacts', [artifact]],
])('%s is no artifact', (_what, value) => {
  expect(isArtifact(value)).toBe(false)
})
