import type { Message } from '@capstan/core'
import { expect, test } from 'vitest'
import { inputOf } from './messages.js'

test('the input of a run is what the user said last, without the line that names files', () => {
  const messages: Message[] = [
    { role: 'user', content: 'Before' },
    { role: 'assistant', content: 'Answer' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'text', text: '\nAttached: img_ab (image/png)' },
      ],
      media: [{ artifact: 'img_ab', isAttached: true }],
    },
  ]
  expect(inputOf(messages)).toEqual({ text: 'Look', attachments: ['img_ab'] })
  expect(inputOf([{ role: 'user', content: 'Hi' }])).toEqual({ text: 'Hi', attachments: [] })
  expect(inputOf([])).toEqual({ text: '', attachments: [] })
})
