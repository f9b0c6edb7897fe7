/**
 * The certificate of the receiver in the demo, only for 127.0.0.1. Its key protects nothing: the receiver is in the same
 * process as the service, which trusts this certificate only while it runs as a demo.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBuTCCAV+gAwIBAgIUZigqAqQu/5E6L3gpkAWylVhydjEwCgYIKoZIzj0EAwIw
IzEhMB8GA1UEAwwYUG9ydGN1bGxpcyBkZW1vIHJlY2VpdmVyMCAXDTI2MTExNzAy
MzA0N1oYDzIxMjYxMDI0MDIzMDQ3WjAjMSEwHwYDVQQDDBhQb3J0Y3VsbGlzIGRl
bW8gcmVjZWl2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQqkLS+Eyst9+VH
0hnhk9i5hxi9XWQm0/PQ3NDIe/b2MpniEvsASQtBUetfPoQpFrb2JQ4pMxrkzXzN
Ll/tZO1ao28wbTAdBgNVHQ4EFgQUNpjw05X/HR9OUO9aBgOdeP/jenUwHwYDVR0j
BBgwFoAUNpjw05X/HR9OUO9aBgOdeP/jenUwGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgXJOj9192
wovgoFpo0ivjKID8NERjmnnp24j/AVNk5FsCIQCGqs9aKH/NkEca/FWq+wBnlH9a
ZpwiH73sqbNiIRl7Ow==
-----END CERTIFICATE-----
`;
export const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbiC4PTAGYSUqTUC2
LBrEPmmP5XVfdE/jFcI0aAdhoH+hRANCAAQqkLS+Eyst9+VH0hnhk9i5hxi9XWQm
0/PQ3NDIe/b2MpniEvsASQtBUetfPoQpFrb2JQ4pMxrkzXzNLl/tZO1a
-----END PRIVATE KEY-----
`;
