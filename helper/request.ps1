# The request. All of it is validated before it is used.

function ConvertFrom-RequestLine {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Line)
    try {
        $text = [System.Text.Encoding]::UTF8.GetString([System.Convert]::FromBase64String($Line.Trim()))
        $request = ConvertFrom-Json -InputObject $text
    } catch {
        throw (New-HelperError -Kind BadRequest -Message 'The request is not one line of base64 JSON.')
    }
    if ($request -isnot [System.Management.Automation.PSCustomObject]) {
        throw (New-HelperError -Kind BadRequest -Message 'The request is not a JSON object.')
    }
    $protocol = Get-Field -InputObject $request -Name protocol
    if ($protocol -isnot [ValueType] -or [long]$protocol -ne 1) {
        throw (New-HelperError -Kind UnsupportedProtocol -Message "This helper supports protocol 1, not '$protocol'.")
    }
    $request
}

function Get-RequestNumber {
    param(
        [Parameter(Mandatory = $true)][psobject]$Request,
        [Parameter(Mandatory = $true)][string]$Name,
        [Parameter(Mandatory = $true)][int]$Default,
        [Parameter(Mandatory = $true)][int]$Minimum,
        [Parameter(Mandatory = $true)][int]$Maximum
    )
    $value = Get-Field -InputObject $Request -Name $Name
    if ($null -eq $value) { return $Default }
    if ($value -isnot [int] -and $value -isnot [long]) {
        throw (New-HelperError -Kind BadRequest -Message "'$Name' must be an integer.")
    }
    if ($value -lt $Minimum -or $value -gt $Maximum) {
        throw (New-HelperError -Kind BadRequest -Message "'$Name' must be between $Minimum and $Maximum.")
    }
    [int]$value
}

function Get-RequestList {
    param([Parameter(Mandatory = $true)][psobject]$Request, [Parameter(Mandatory = $true)][string]$Name)
    $property = $Request.PSObject.Properties[$Name]
    if ($null -eq $property) { return }
    if ($property.Value -isnot [System.Array]) { throw (New-HelperError -Kind BadRequest -Message "'$Name' must be a list.") }
    $property.Value
}

function Get-RequestProbe {
    param([Parameter(Mandatory = $true)][psobject]$Request)
    foreach ($probe in @(Get-RequestList -Request $Request -Name probes)) {
        $target = Get-Field -InputObject $probe -Name Target
        $kind = Get-Field -InputObject $probe -Name Kind
        if ($target -isnot [string] -or $target -notmatch '^[A-Za-z0-9._:\[\]-]{1,255}\z') {
            throw (New-HelperError -Kind BadRequest -Message 'The target of a probe must be an address or a name, with or without a port.')
        }
        if (@('tcp', 'udp', 'icmp', 'dns') -cnotcontains $kind) {
            throw (New-HelperError -Kind BadRequest -Message "Probe kind '$kind' does not exist.")
        }
        [pscustomobject]@{ Target = $target; Kind = $kind }
    }
}
