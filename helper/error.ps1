# Errors of the helper itself, and the conversion of every error for the wire.

function New-HelperError {
    param(
        [Parameter(Mandatory = $true)]
        [ValidateSet('NotInstalled', 'CommandNotFound', 'AccessDenied', 'Timeout', 'Failed', 'BadRequest', 'UnknownRequest',
            'UnsupportedProtocol', 'NotFound', 'Busy', 'Blocked')]
        [string]$Kind,

        [Parameter(Mandatory = $true)]
        [string]$Message
    )
    $exception = New-Object -TypeName System.InvalidOperationException -ArgumentList $Message
    $exception.Data['Kind'] = $Kind
    $exception
}

function Get-ErrorKind {
    param([Parameter(Mandatory = $true)][System.Exception]$Exception)
    if ($Exception.Data.Contains('Kind')) { return [string]$Exception.Data['Kind'] }
    if ($Exception -is [System.Management.Automation.CommandNotFoundException]) { return 'CommandNotFound' }
    if ($Exception -is [System.UnauthorizedAccessException]) { return 'AccessDenied' }
    if ($Exception -is [System.Security.SecurityException]) { return 'AccessDenied' }
    if ($Exception -is [System.TimeoutException]) { return 'Timeout' }
    # WMI: access denied, invalid namespace, invalid class, provider timed out.
    switch ('{0:X8}' -f $Exception.HResult) {
        '80041003' { return 'AccessDenied' }
        '80070005' { return 'AccessDenied' }
        '8004100E' { return 'NotInstalled' }
        '80041010' { return 'NotInstalled' }
        '80041069' { return 'Timeout' }
    }
    # CimException keeps its code in a property, not in HResult.
    $code = $Exception.PSObject.Properties['NativeErrorCode']
    if ($null -ne $code) {
        switch ([string]$code.Value) {
            'AccessDenied' { return 'AccessDenied' }
            'InvalidNamespace' { return 'NotInstalled' }
            'InvalidClass' { return 'NotInstalled' }
            'ServerLimitsExceeded' { return 'Timeout' }
        }
    }
    'Failed'
}

# An error is reported as its kind and one line. PowerShell wraps exceptions; the inner one has the useful message.
function ConvertTo-ErrorObject {
    param([Parameter(Mandatory = $true)][System.Management.Automation.ErrorRecord]$ErrorRecord)
    $exception = $ErrorRecord.Exception
    while ($null -ne $exception.InnerException -and
        ($exception -is [System.Management.Automation.RuntimeException] -or $exception -is [System.AggregateException])) {
        $exception = $exception.InnerException
    }
    $message = ($exception.Message -replace '\s+', ' ').Trim()
    # The message is localised, the code is not. 0x8013.... are generic codes of .NET.
    $code = '{0:X8}' -f $exception.HResult
    if ($code -notmatch '^(00000000|8013....)$' -and $message -notmatch '0x[0-9A-Fa-f]{8}') { $message = "$message (0x$code)" }
    # Errors of WMI have the code in MessageId.
    $id = $exception.PSObject.Properties['MessageId']
    if ($null -ne $id -and [string]$id.Value -match '^HRESULT (0x[0-9A-Fa-f]{8})$' -and $message -notmatch '0x[0-9A-Fa-f]{8}') { $message = "$message ($($Matches[1]))" }
    $kind = Get-ErrorKind -Exception $exception
    # Cmdlets that are generated from CIM classes throw their own exception, and have the code in the category only.
    if ($kind -eq 'Failed') {
        switch ([string]$ErrorRecord.CategoryInfo.Category) {
            'PermissionDenied' { $kind = 'AccessDenied' }
            'OperationTimeout' { $kind = 'Timeout' }
        }
    }
    [pscustomobject]@{ kind = $kind; message = $message }
}
