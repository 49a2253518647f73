/** The forms of texts that JSON Schema has names for. */
export const jsonFormats: readonly string[] = [
  ...[
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'idn-email',
    'hostname',
    'idn-hostname',
    'ipv4',
    'ipv6',
  ],
  ...['uri', 'uri-reference', 'iri', 'iri-reference', 'uuid', 'uri-template', 'json-pointer'],
  ...['relative-json-pointer', 'regex'],
]
