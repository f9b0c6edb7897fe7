/** What a style element of a library needs: the policy of the page refuses others. */
export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';
