export const docsPage = (_document: object): string => '<!doctype html><title>Portcullis</title>';
