# Objects that reach outside: sockets, pings, and the class that calls HNS. Everything else is made by the real cmdlets.

function New-Object {
    [CmdletBinding()]
    param([Parameter(Position = 0)][string]$TypeName, [Parameter(Position = 1)][object[]]$ArgumentList)
    switch ($TypeName) {
        'KubectlWin.HnsClient' { return New-Stub @{} @{ Call = { param($method, $path, $body) Invoke-HnsStub -Method $method -Path $path -Body $body } } }
        'KubectlWin.PipeClient' {
            return New-Stub @{} @{ Open = { param($path, $milliseconds) Open-PipeStub -Path $path } }
        }
        'System.Net.Sockets.TcpClient' {
            return New-Stub @{ Family = [string]@($ArgumentList)[0] } @{ ConnectAsync = { param($to, $port) Get-SocketTask -Family $this.Family -Address $to -Port $port -Kind tcp }; Close = {} }
        }
        'System.Net.Sockets.UdpClient' {
            return New-Stub @{ Family = [string]@($ArgumentList)[0]; To = $null; Port = 0 } @{
                Connect = { param($to, $port) $this.To = $to; $this.Port = $port }; Send = { 1 }; Close = {}
                ReceiveAsync = { Get-SocketTask -Family $this.Family -Address $this.To -Port $this.Port -Kind udp }
            }
        }
        'System.Net.NetworkInformation.Ping' {
            return New-Stub @{} @{ Send = { param($to) [pscustomobject]@{ Status = $(if (Test-Reach -Target $to -Kind icmp) { 'Success' } else { 'TimedOut' }) } }; Dispose = {} }
        }
    }
    , (Microsoft.PowerShell.Utility\New-Object @PSBoundParameters)
}

function Add-Type {
    [CmdletBinding()]
    param([string]$TypeDefinition)
    if ($TypeDefinition -notmatch 'vmcompute\.dll|CreateFileW') { Microsoft.PowerShell.Utility\Add-Type -TypeDefinition $TypeDefinition }
}

# A pipe is a socket of its name beside the state file: where there is a real ovsdb-server, it leads there.
function Open-PipeStub {
    param([string]$Path)
    $folder = Join-Path -Path (Split-Path -Path $env:KUBECTL_WIN_STATE -Parent) -ChildPath 'pipes'
    $socketPath = Join-Path -Path $folder -ChildPath ($Path -replace '^\\\\\.\\pipe\\', '')
    if (-not [System.IO.File]::Exists($socketPath)) { return $null }
    $socket = [System.Net.Sockets.Socket]::new('Unix', 'Stream', 'Unspecified')
    $socket.Connect([System.Net.Sockets.UnixDomainSocketEndPoint]::new($socketPath))
    [System.Net.Sockets.NetworkStream]::new($socket, $true)
}

function New-Stub {
    param([hashtable]$Properties, [hashtable]$Methods)
    $stub = [pscustomobject]$Properties
    foreach ($name in $Methods.Keys) { $stub | Add-Member -MemberType ScriptMethod -Name $name -Value $Methods[$name] }
    $stub
}

# A target is reached as the state's probes say, as long as the node has an address and a way out.
function Test-Reach {
    param([string]$Target, [string]$Kind)
    $state = Read-State
    $addresses = @(Get-Rows $state netIPAddresses | Where-Object { $_.AddressFamily -eq 'IPv4' -and $_.IPAddress -notmatch '^(127|169\.254)\.' } | ForEach-Object { $_.IPAddress })
    if ($addresses.Count -eq 0) { return $false }
    $host4 = ($Target -split ':')[0]
    if ($addresses -notcontains $host4 -and @(Get-Rows $state netRoutes | Where-Object { $_.DestinationPrefix -eq '0.0.0.0/0' }).Count -eq 0) { return $false }
    $probe = Get-Rows $state probes | Where-Object { $_.Target -eq $Target -and ($_.Kind -eq $Kind -or ($Kind -eq 'udp' -and $_.Kind -eq 'dns')) } | Select-Object -First 1
    # What the state does not name answers as its first probe does.
    if ($null -eq $probe) { $probe = Get-Rows $state probes | Select-Object -First 1 }
    $null -eq $probe -or [bool]$probe.Ok
}

# On .NET Framework a socket that was made without a family is one of IPv4.
function Get-SocketTask {
    param([string]$Family, $Address, [int]$Port, [string]$Kind)
    $own = if ($Family) { $Family } else { 'InterNetwork' }
    if ([string]$Address.AddressFamily -ne $own) { return [System.Threading.Tasks.Task]::FromException([System.Net.Sockets.SocketException]::new(10047)) }
    $shown = if ($own -eq 'InterNetworkV6') { "[$Address]" } else { [string]$Address }
    Get-ReachTask -Target "${shown}:$Port" -Kind $Kind
}

function Get-ReachTask {
    param([string]$Target, [string]$Kind)
    if (Test-Reach -Target $Target -Kind $Kind) { return [System.Threading.Tasks.Task]::FromResult($true) }
    [System.Threading.Tasks.Task]::FromException([System.Net.Sockets.SocketException]::new(10060))
}

function Get-AuthenticodeSignature {
    [CmdletBinding()]
    param([string]$LiteralPath)
    $signed = (Read-Section drivers).ovsext.Signed
    $issuer = if ($signed) { 'CN=Microsoft Windows Third Party Component CA 2014' } else { 'CN=WDKTestCert' }
    [pscustomobject]@{ Status = 'Valid'; SignerCertificate = [pscustomobject]@{ Subject = $(if ($signed) { 'CN=Microsoft Windows Hardware Compatibility Publisher' } else { $issuer }); Issuer = $issuer } }
}
