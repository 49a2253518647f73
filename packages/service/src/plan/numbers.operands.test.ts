import { expect, test } from 'vitest'
import { number, wireTool } from '../../test/planner-case.js'
import { readClause } from './clauses.js'
import { toFillContext } from './fill-context.js'
import { type PlannerTool, type ToolDefinition, toPlannerTool } from './planner-tool.js'

const toTool = (name: string, properties: Record<string, object>) => {
  const { function: definition } = wireTool(name, 'Calculates', properties) as { function: ToolDefinition }
  return toPlannerTool(definition)
}
const operation = { enum: ['add', 'subtract', 'multiply', 'divide'] }
const calculate = toTool('calculate', { operation, a: number('First'), b: number('Second') })
const subtract = toTool('subtract', { a: number('First'), b: number('Second') })
const toOperands = (tool: PlannerTool, text: string) =>
  toFillContext(tool, readClause(text, new Date()), []).operands

test('one operation fills a tool that offers it, in the order of the calculation', () => {
  expect(Object.fromEntries(toOperands(calculate, 'Subtract 15 from 2.5 million'))).toEqual({
    operation: 'subtract',
    a: 2_500_000,
    b: 15,
  })
  expect(Object.fromEntries(toOperands(subtract, 'Subtract 15 from 1e3'))).toEqual({ a: 1000, b: 15 })
})

test.each(['6 times 7 plus 1', '2 to the power of 3', '1e400 times 2', 'add 3 and 4 and 5', '5 plus 10%'])(
  '%s is not an operation on two numbers: the tool gets none',
  (text) => {
    expect([...toOperands(calculate, text)]).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
  },
)

test('leaves a calculation to the tool that offers it', () => {
  expect([...toOperands(subtract, '6 times 7')]).toEqual([
    ['a', undefined],
    ['b', undefined],
  ])
})

test('leaves separate numbers to the parameters', () => {
  expect(toOperands(calculate, 'the numbers 3 and 4, added').size).toBe(0)
  const book = toTool('add_booking', {
    room: number('Room'),
    guests: number('Guests'),
    name: { type: 'string' },
  })
  expect(toOperands(book, 'Add a booking of room 5 for 2 guests, 3 nights').size).toBe(0)
})
