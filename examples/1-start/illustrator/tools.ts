// Two typed tools for the main example.
import { tool } from '@capstan/core'
import * as z from 'zod'

const november: Readonly<Record<string, { conditions: string; degrees: number }>> = {
  amsterdam: { conditions: 'rain', degrees: 8 },
  cairo: { conditions: 'sunny', degrees: 24 },
  lisbon: { conditions: 'cloudy', degrees: 16 },
  london: { conditions: 'fog', degrees: 9 },
  oslo: { conditions: 'light snow', degrees: -2 },
  paris: { conditions: 'rain', degrees: 10 },
  rome: { conditions: 'sunny', degrees: 17 },
  tokyo: { conditions: 'clear', degrees: 14 },
}

export const getWeather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  execute({ city }) {
    const found = november[city.toLowerCase()]
    if (!found)
      throw new Error(`No weather for "${city}". There is some for: ${Object.keys(november).join(', ')}.`)
    return { city, ...found }
  },
})

const operations = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
  percent_of: (a: number, b: number) => (a / 100) * b,
}

export const calculate = tool({
  name: 'calculate',
  description: 'Calculates with two numbers: plus, minus, times, divided by, percent of',
  parameters: z.object({
    operation: z
      .enum(['add', 'subtract', 'multiply', 'divide', 'percent_of'])
      .describe('What to do with a and b'),
    a: z.number().describe('The first number; for percent_of the percentage'),
    b: z.number().describe('The second number'),
  }),
  execute({ operation, a, b }) {
    const result = operations[operation](a, b)
    if (!Number.isFinite(result)) throw new Error(`${operation} of ${a} and ${b} has no finite result.`)
    return { result: Number(result.toPrecision(12)) }
  },
})
