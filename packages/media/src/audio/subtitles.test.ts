import { expect, test } from 'vitest'
import { toSubtitles } from './subtitles.js'

const segments = [
  { text: 'Fish & chips <now>', start: 0, end: 1.5 },
  { text: '  ', start: 1.5, end: 2 },
  { text: 'Two\n\nlines', start: 3599.9996, end: 3661.25 },
]

test('writes SRT with numbers and commas', () => {
  expect(toSubtitles(segments, 'srt')).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nFish & chips <now>\n\n2\n01:00:00,000 --> 01:01:01,250\nTwo lines\n',
  )
})

test('writes WebVTT with its head, and without markup in the text', () => {
  expect(toSubtitles(segments, 'vtt')).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nFish &amp; chips &lt;now&gt;\n\n01:00:00.000 --> 01:01:01.250\nTwo lines\n',
  )
})

test('writes silence as a file without cues', () => {
  expect(toSubtitles([], 'srt')).toBe('')
  expect(toSubtitles([], 'vtt')).toBe('WEBVTT\n\n')
})
