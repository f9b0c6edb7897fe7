import Type from 'typebox';
import { ERROR_STATUSES, type ErrorCode, errorDocUrl } from './error-codes.ts';

export const ErrorDetail = Type.Object({
  field: Type.String({ description: 'A JSON path.', examples: ['billing_address.country'] }),
  message: Type.String({ examples: ['must be a two-letter ISO 3166-1 country code, such as DE'] }),
});
export type ErrorDetail = Type.Static<typeof ErrorDetail>;

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERROR_STATUSES) as ErrorCode[], { examples: ['invalid_request'] }),
      message: Type.String({ examples: ['The request is invalid: amount must be greater than 0.'] }),
      request_id: Type.String({ examples: ['req_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
      doc_url: Type.String({
        description: 'Explanation of the code: a path on the service that answered.',
        examples: [errorDocUrl('invalid_request')],
      }),
      details: Type.Optional(Type.Array(ErrorDetail, { description: 'Every invalid field.' })),
    }),
  },
  { $id: 'Error' },
);
export type ErrorBody = Type.Static<typeof ErrorBody>;
