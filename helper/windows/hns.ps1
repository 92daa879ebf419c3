# The Host Networking Service: the in-box cmdlets where Windows has them, else HNSCall in vmcompute.dll.

function Test-HnsCmdlet {
    $null -ne (Get-Command -Name Get-HnsNetwork -ErrorAction Ignore)
}

function Get-HnsObject {
    param([Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind)
    if (Test-HnsCmdlet) {
        switch ($Kind) {
            'networks' { return Get-HnsNetwork }
            'endpoints' { return Get-HnsEndpoint }
            'policylists' { return Get-HnsPolicyList }
        }
    }
    $json = Invoke-HnsCall -Method GET -Path "/$Kind"
    # Assigned first: 5.1 sends a list through the pipeline as one object.
    $list = ConvertFrom-Json -InputObject $json
    $list
}

# The answer of HNS, without its envelope {"Success":true,"Output":...}, as text.
function Invoke-HnsCall {
    param(
        [Parameter(Mandatory = $true)][ValidateSet('GET', 'POST', 'DELETE')][string]$Method,
        [Parameter(Mandatory = $true)][ValidatePattern('^/[a-z]+(/[0-9A-Fa-f-]{36})?\z')][string]$Path,
        [string]$Body = ''
    )
    $client = Get-HnsClient
    $answer = $client.Call($Method, $Path, $Body)
    if ($answer -match '(?s)^\s*\{\s*"Success"\s*:\s*true\s*(,\s*"Output"\s*:\s*(?<output>.*\S))?\s*\}\s*$') {
        if ($Matches.ContainsKey('output')) { return $Matches['output'] }
        return 'null'
    }
    $envelope = ConvertFrom-Json -InputObject $answer
    if (Get-Field -InputObject $envelope -Name Success) { return ConvertTo-JsonText -Value $envelope.Output }
    $said = ([string](Get-Field -InputObject $envelope -Name Error)).Trim()
    $code = Get-Field -InputObject $envelope -Name ErrorCode
    if ($null -ne $code) { $said = '{0} (0x{1:X8})' -f $said, [long]$code }
    throw (New-HelperError -Kind Failed -Message "HNS refused $Method ${Path}: $said")
}

function Get-HnsClient {
    if (-not (Test-Path -LiteralPath (Get-SystemProgram -Name vmcompute.dll))) {
        throw (New-HelperError -Kind NotInstalled -Message 'vmcompute.dll was not found: the Containers feature is not installed.')
    }
    # Sections run side by side, and the class can be made only once.
    $mutex = New-Object -TypeName System.Threading.Mutex -ArgumentList $false, "kubectl-win-hns-$PID"
    [void]$mutex.WaitOne()
    try {
        if ($null -eq ('KubectlWin.HnsClient' -as [type])) {
            Add-Type -TypeDefinition @'
using System.Runtime.InteropServices;

namespace KubectlWin
{
    public sealed class HnsClient
    {
        [DllImport("vmcompute.dll", ExactSpelling = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        private static extern int HNSCall(
            [MarshalAs(UnmanagedType.LPWStr)] string method,
            [MarshalAs(UnmanagedType.LPWStr)] string path,
            [MarshalAs(UnmanagedType.LPWStr)] string body,
            [MarshalAs(UnmanagedType.LPWStr)] out string answer);

        public string Call(string method, string path, string body)
        {
            string answer;
            int code = HNSCall(method, path, body, out answer);
            if (string.IsNullOrEmpty(answer)) Marshal.ThrowExceptionForHR(code);
            return answer ?? "";
        }
    }
}
'@
        }
    } finally {
        $mutex.ReleaseMutex()
        $mutex.Dispose()
    }
    New-Object -TypeName KubectlWin.HnsClient
}

function Remove-HnsObject {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind,
        [Parameter(Mandatory = $true)][string]$Id
    )
    if (-not $PSCmdlet.ShouldProcess("/$Kind/$Id", 'Remove')) { return }
    if (-not (Test-HnsCmdlet)) {
        [void](Invoke-HnsCall -Method DELETE -Path "/$Kind/$Id")
        return
    }
    $found = @(Get-HnsObject -Kind $Kind | Where-Object -FilterScript { $_.ID -eq $Id })
    switch ($Kind) {
        'networks' { $found | Remove-HnsNetwork }
        'endpoints' { $found | Remove-HnsEndpoint }
        'policylists' { $found | Remove-HnsPolicyList }
    }
}

# The in-box module has no cmdlet that takes a whole definition, so this is always a call to HNS itself.
function New-HnsObject {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind,
        [Parameter(Mandatory = $true)][object]$Definition
    )
    if (-not $PSCmdlet.ShouldProcess("/$Kind", 'Create')) { return }
    [void](Invoke-HnsCall -Method POST -Path "/$Kind" -Body (ConvertTo-JsonText -Value $Definition))
}
