// The agent of this example. The client and the workers create the same one.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

export function makeCourier(office: string, worker = 'nobody') {
  const sendParcel = tool({
    name: 'send_parcel',
    description: 'Sends a parcel to a city',
    parameters: z.object({ city: z.string().describe('Name of the city') }),
    async execute({ city }, { idempotencyKey, signal }) {
      const body = JSON.stringify({ key: idempotencyKey, worker, city })
      const response = await fetch(office, { method: 'POST', body, signal })
      return response.json()
    },
  })
  return new Agent({ name: 'courier', model: 'planner', tools: [sendParcel] })
}
