import { expect, test } from 'vitest'
import { toTokens } from './lenient-json.js'

test.each([
  [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 9 }, [3, 4, 9]],
  [{ prompt_tokens: 3, completion_tokens: 4 }, [3, 4, 7]],
  [{ input_tokens: 3, output_tokens: 4 }, [3, 4, 7]],
  [{ prompt_tokens: 3 }, [3, 0, 3]],
  [{ completion_tokens: 0 }, [0, 0, 0]],
  [{ prompt_tokens: 3, completion_tokens: -1, total_tokens: 'many' }, [3, 0, 3]],
])('reads %j as [input, output, total] %j', (usage, [inputTokens, outputTokens, totalTokens]) => {
  expect(toTokens(usage)).toEqual({ inputTokens, outputTokens, totalTokens })
})

test.each([
  null,
  undefined,
  {},
  [],
  7,
  { total_tokens: 5 },
  { prompt_tokens: '3' },
  { prompt_tokens: Number.NaN },
])('invents no token counts (case %#)', (usage) => {
  expect(toTokens(usage)).toBeUndefined()
})
