// Tools in which `checkTools` must find nothing. They are realistic, and use every kind of schema.
import { Agent, type AnyTool, agentTool, handoff, jsonSchema, readArtifact, tool } from '@capstan/core'
import { zod3 } from '@capstan/core/zod3'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'

const done = () => 'done'

const place = z.object({
  latitude: z.number().min(-90).max(90).describe('Degrees north'),
  longitude: z.number().min(-180).max(180).describe('Degrees east'),
})

const withZod = [
  tool({
    name: 'get_weather',
    description: 'Current weather in a city: temperature, wind and conditions.',
    parameters: z.object({
      city: z.string().describe('Name of the city, as "Oslo"'),
      unit: z.enum(['celsius', 'fahrenheit']).default('celsius').describe('Unit of the temperature'),
    }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'get_forecast',
    description: 'Daily forecast for the coming week at a point on the map.',
    parameters: place.extend({ days: z.int().min(1).max(7).describe('How many days').optional() }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'web_search',
    description: 'Searches the web and returns titles, addresses and a line of each result.',
    parameters: z.object({
      query: z.string().min(1).max(400).describe('What to look for'),
      site: z.string().describe('Only results of this host, as "example.org"').optional(),
      newer_than: z.iso.date().describe('Only pages changed since then').optional(),
    }),
    effects: 'read',
    untrusted: true,
    execute: done,
  }),
  tool({
    name: 'fetch_page',
    description: 'Fetches a web page and returns its text without markup.',
    parameters: z.object({ url: z.url().describe('Address, with https://') }),
    effects: 'read',
    untrusted: true,
    timeoutMs: 20_000,
    execute: done,
  }),
  tool({
    name: 'send_email',
    description: 'Sends an email in the name of the user. Use it only when asked to write to somebody.',
    parameters: z.object({
      to: z.array(z.email()).min(1).max(20).describe('Addresses of the recipients'),
      subject: z.string().max(200).describe('One line, without "Re:"'),
      body: z.string().describe('Plain text'),
      attachments: z.array(z.string().describe('Id of an artifact')).optional(),
    }),
    needsApproval: true,
    execute: done,
  }),
  tool({
    name: 'book_room',
    description: 'Books a hotel room once the guest has chosen one; returns the number of the booking.',
    parameters: z.object({
      hotel_id: z
        .string()
        .regex(/^H[0-9]{4}$/)
        .describe('Id of the hotel, as "H0042"'),
      arrival: z.iso.date().describe('First night'),
      nights: z.int().min(1).max(30).describe('How many nights'),
      guests: z
        .array(
          z.object({
            name: z.string().describe('As in the passport'),
            age: z.int().min(0).max(120).describe('In years').optional(),
          }),
        )
        .min(1)
        .describe('Everybody who stays'),
      address: z
        .object({ street: z.string(), city: z.string(), country: z.string() })
        .describe('For the bill'),
    }),
    needsApproval: ({ nights }) => nights > 3,
    effects: ({ hotel_id }) => hotel_id,
    execute: done,
  }),
  tool({
    name: 'draw_shape',
    description: 'Draws one shape on the canvas and returns its id.',
    parameters: z.object({
      shape: z
        .discriminatedUnion('kind', [
          z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
          z.object({ kind: z.literal('square'), side: z.number().positive() }),
        ])
        .describe('What to draw, in pixels'),
      colour: z
        .string()
        .regex(/^#[0-9a-f]{6}$/)
        .describe('As "#ff8800"')
        .default('#000000'),
    }),
    execute: done,
  }),
  tool({
    name: 'convert_currency',
    description: 'Converts an amount of money by the rates of today.',
    parameters: z.object({
      amount: z.number().positive().describe('How much'),
      from: z.enum(['EUR', 'USD', 'GBP', 'NOK']).describe('Currency of the amount'),
      to: z.enum(['EUR', 'USD', 'GBP', 'NOK']).describe('Currency that is asked for'),
    }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'list_invoices',
    description: 'Invoices of a customer, the newest first, fifty at one time.',
    parameters: z.object({
      customer_id: z.uuid().describe('Id of the customer'),
      status: z.enum(['open', 'paid', 'overdue']).describe('Only those').optional(),
      cursor: z.string().nullable().describe('From the answer before; null for the first page'),
    }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'get_invoice',
    description: 'One invoice with its lines, taxes and payments.',
    parameters: z.object({ invoice_number: z.string().describe('As printed on it') }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'set_labels',
    description: 'Replaces all labels of a ticket.',
    parameters: z.object({
      ticket: z.int().positive().describe('Number of the ticket'),
      labels: z.record(z.string(), z.string()).describe('Value of each label, by its name'),
    }),
    execute: done,
  }),
  tool({
    name: 'current_time',
    description: 'The time of day where the user is.',
    parameters: z.object({}),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'schedule_reminder',
    description: 'Reminds the user of something at a given moment.',
    parameters: z.object({
      at: z.coerce.date().describe('When, with a time zone'),
      text: z.string().trim().min(1).describe('What to be reminded of'),
      repeat: z.boolean().default(false).describe('Every day from then on'),
    }),
    execute: done,
  }),
  tool({
    name: 'reserve_table',
    description: 'Reserves a table in a restaurant of the town.',
    parameters: z.object({
      restaurant: z.string().describe('Name of the restaurant'),
      evening: z.iso
        .date()
        .refine((day) => new Date(day).getUTCDay() !== 1, 'Mondays are closed')
        .describe('Any evening but Mondays, when all are closed'),
    }),
    execute: done,
  }),
  tool({
    name: 'ask_user',
    description: 'Asks the user a question and waits for the answer.',
    parameters: z.object({
      question: z.string().describe('One question, answered in a line'),
      choices: z.array(z.string()).max(5).describe('Answers to choose from').optional(),
    }),
    execute: done,
  }),
  tool({
    name: 'delete_draft',
    description: 'Deletes a draft that was never sent.',
    parameters: z.object({ draft_id: z.string().describe('Id of the draft') }),
    needsApproval: false,
    execute: done,
  }),
] as const

const withMini = [
  tool({
    name: 'translate_text',
    description: 'Translates a text and keeps its paragraphs.',
    parameters: mini.object({
      text: mini.string().check(mini.minLength(1), mini.describe('In any language')),
      language: mini.string().check(mini.regex(/^[a-z]{2}$/), mini.describe('Into which, as "de"')),
    }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'roll_dice',
    description: 'Rolls dice and returns each number and their sum.',
    parameters: mini.object({
      count: mini.int().check(mini.gte(1), mini.lte(20), mini.describe('How many dice')),
      sides: mini._default(mini.int().check(mini.gte(2), mini.describe('Sides of each')), 6),
    }),
    execute: done,
  }),
  tool({
    name: 'rate_recipe',
    description: 'Stores how the user liked a recipe.',
    parameters: mini.object({
      recipe: mini.string().check(mini.describe('Title of the recipe')),
      stars: mini.literal([1, 2, 3, 4, 5]).check(mini.describe('Five is best')),
      note: mini.optional(mini.string().check(mini.describe('In the own words of the user'))),
    }),
    execute: done,
  }),
] as const

const withZod3 = [
  tool({
    name: 'find_flights',
    description: 'Flights between two airports on a day, the cheapest first.',
    parameters: zod3(
      z3.object({
        origin: z3.string().length(3).describe('Code of the airport, as "OSL"'),
        destination: z3.string().length(3).describe('Code of the airport, as "LIS"'),
        day: z3
          .string()
          .regex(/^\d{4}-\d{2}-\d{2}$/)
          .describe('As "2026-03-14"'),
        cabin: z3.enum(['economy', 'business']).default('economy').describe('Class of the seats'),
      }),
    ),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'create_event',
    description: 'Puts an event into the calendar of the user and returns its id.',
    parameters: zod3(
      z3.object({
        title: z3.string().min(1).describe('What it is'),
        start: z3.string().datetime().describe('With a time zone'),
        minutes: z3.number().int().positive().max(1440).describe('How long it takes'),
        people: z3
          .array(z3.object({ email: z3.string().email() }))
          .describe('Who is invited')
          .optional(),
      }),
    ),
    needsApproval: true,
    execute: done,
  }),
  tool({
    name: 'measure_distance',
    description: 'Length of the shortest road between two towns in kilometres.',
    parameters: zod3(
      z3.object({
        start: z3.string().describe('Town to begin in'),
        end: z3.string().describe('Town to arrive in'),
        avoid: z3
          .union([z3.literal('tolls'), z3.literal('ferries')])
          .describe('What not to use')
          .optional(),
      }),
    ),
    effects: 'read',
    execute: done,
  }),
] as const

const withJsonSchema = [
  tool({
    name: 'query_sales',
    description: 'Sums up sales by month or by region.',
    parameters: jsonSchema({
      type: 'object',
      properties: {
        year: { type: 'integer', minimum: 2000, description: 'Which year' },
        group_by: { type: 'string', enum: ['month', 'region'], description: 'One sum for each of these' },
        regions: { type: 'array', items: { type: 'string' }, description: 'Only these; all without it' },
      },
      required: ['year', 'group_by'],
      additionalProperties: false,
    }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'set_thermostat',
    description: 'Sets how warm a room is to be.',
    parameters: jsonSchema({
      type: 'object',
      properties: {
        room: { type: 'string', description: 'Name of the room' },
        degrees: { type: 'number', minimum: 5, maximum: 30, description: 'In degrees Celsius' },
        until: { type: ['string', 'null'], format: 'date-time', description: 'When it ends; null for never' },
      },
      required: ['room', 'degrees', 'until'],
      additionalProperties: false,
    }),
    strict: true,
    execute: done,
  }),
  tool({
    name: 'play_music',
    description: 'Plays songs on a speaker in the house.',
    parameters: jsonSchema({
      type: 'object',
      properties: {
        what: {
          description: 'A title, or ids of songs',
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        },
        volume: { type: 'integer', minimum: 0, maximum: 100, default: 30, description: 'In percent' },
      },
      required: ['what'],
    }),
    execute: done,
  }),
] as const

const customer = z.object({
  name: z.string().describe('Of the person or the firm'),
  town: z.string().describe('Where the bills go'),
})

const parcel = {
  type: 'object',
  properties: { parcel_number: { type: 'string', description: 'As printed on the label' } },
  required: ['parcel_number'],
}

const painter = new Agent({ name: 'painter', model: 'any', instructions: 'You paint.' })

const others = [
  agentTool(painter, { description: 'Paints what is asked for, and answers with the picture.' }),
  handoff(painter),
  tool({
    name: 'remove_background',
    description: 'Removes the background of an image and returns a new one.',
    parameters: z.object({ image: z.string().describe('Id of the image') }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'get_contact',
    description: 'Gets the email address and the web site of a contact.',
    parameters: z.object({ person: z.string().describe('First and last name') }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'create_customer',
    description: 'Creates a customer in the billing system of the company, with name and address.',
    parameters: customer,
    execute: done,
  }),
  tool({
    name: 'change_customer',
    description: 'Changes a customer in the billing system of the company, with name and address.',
    parameters: customer,
    execute: done,
  }),
  tool({
    name: 'track_parcel',
    description: 'Where a parcel is now, and when it will arrive.',
    // A schema from a different library that can be converted to JSON Schema.
    parameters: {
      '~standard': {
        version: 1,
        vendor: 'other',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => parcel },
      },
    } as const,
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'hand_to_colleague',
    description: 'Gives the conversation to a person, for complaints and for anything about the law.',
    parameters: z.object({ summary: z.string().describe('What it is about, in two sentences') }),
    returnDirect: true,
    execute: done,
  }),
  tool({
    name: 'generate_chart',
    description: 'Draws numbers as a picture of bars or lines.',
    parameters: z.strictObject({
      title: z.string().describe('Stands above it'),
      kind: z.enum(['bars', 'lines']).describe('How it is drawn'),
      series: z
        .array(z.strictObject({ label: z.string(), points: z.array(z.number()) }))
        .describe('One line, or one colour of bars, for each'),
    }),
    strict: true,
    show: true,
    execute: done,
  }),
  tool({
    name: 'suchen',
    description: 'Sucht in den Handbüchern der Firma und nennt die Stellen.',
    parameters: z.object({ frage: z.string().describe('Wonach gesucht wird') }),
    effects: 'read',
    execute: done,
  }),
  tool({
    name: 'get_horoscope',
    description: '今日の運勢を調べます。',
    parameters: z.object({ sign: z.string().describe('星座の名前') }),
    effects: 'read',
    execute: done,
  }),
  readArtifact,
] as const

export const goodTools: readonly AnyTool[] = [
  ...withZod,
  ...withMini,
  ...withZod3,
  ...withJsonSchema,
  ...others,
]
